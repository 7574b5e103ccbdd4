"""The application: pages' frame, charts, reports and the command line over the models."""
