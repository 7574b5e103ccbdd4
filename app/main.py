"""What `streamlit run` executes: puts the project's root on the path, then hands over to the shell."""

import sys
from pathlib import Path

# Streamlit puts the folder of this file on the path; imports here start at the root above it.
ROOT = Path(__file__).resolve().parents[1]
sys.path[:] = [str(ROOT), *(entry for entry in sys.path if Path(entry).resolve() != ROOT / "app")]

from app import shell

shell.run()
