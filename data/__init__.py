"""What the planner reads and keeps: built-in facts, scenario files, measurements and their store."""
