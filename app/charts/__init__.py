"""The charts, each a module that builds one picture from records."""

from app.charts import concurrency, cost, day, latency, monthly_cost

CHARTS = (concurrency, cost, day, latency, monthly_cost)
