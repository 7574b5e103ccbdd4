"""The application: pages' frame, charts, reports and the command line over the models."""

__version__ = "0.1.0"
