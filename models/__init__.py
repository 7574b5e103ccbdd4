"""The numbers: pure functions of plain records; no user interface, no storage."""
