"""Start the dashboard: Streamlit on this machine, warmed up while the browser still loads the page."""

import os
import socket
import sys
import threading
from pathlib import Path
from typing import Any

from models.problems import InputProblems, Problem


def run(db: str | None, address: str | None, port: int | None) -> int:
    """Start the dashboard on this machine and open a browser where there is a screen; the exit code.

    db, address, port  where the store is and where to listen; None as configured. InputProblems where the
    address or the port cannot be had.
    """
    from streamlit.web import cli as streamlit_cli

    if db is not None:
        os.environ["PLIMSOLL_DB"] = db
    _check_listening(address or "127.0.0.1", port)
    main_file = Path(__file__).resolve().parent / "main.py"
    has_screen = sys.platform in ("win32", "darwin") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
    options = ["--server.headless", "false" if has_screen else "true"]
    if port is not None:
        options += ["--server.port", str(port)]
    if address is not None:
        options += ["--server.address", address]
    threading.Thread(target=_warm_up, daemon=True).start()
    sys.argv = ["streamlit", "run", str(main_file), *options]
    result: Any = streamlit_cli.main(standalone_mode=False)
    return int(result or 0)


def _check_listening(address: str, port: int | None) -> None:
    """Refuse an address or a port that cannot be had, before the server fails on it."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(address, port or 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(place)
    except OSError as error:
        where = f"{address}:{port}" if port else address
        cure = "Choose another --port or --address, or end what listens there."
        message = f"cannot listen: {error.strerror or error}"
        raise InputProblems([Problem(path=where, message=message, cure=cure)]) from error


def _warm_up() -> None:
    """Load the libraries and plan the worked example while the browser still loads the page."""
    from app import workbench

    workbench.view(workbench.worked_example()).plan  # noqa: B018 -- kept by value for the first visitor
