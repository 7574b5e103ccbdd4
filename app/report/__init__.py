"""Reports: sections say what, renderers say how."""
