"""The charts, each a module that builds one picture from records."""

from app.charts import comparison, concurrency, cost, day, latency, monthly_cost

CHARTS = (comparison, concurrency, cost, day, latency, monthly_cost)
