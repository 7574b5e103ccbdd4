"""The charts, each a module that builds one picture from records."""

from app.charts import (
    comparison,
    concurrency,
    cost,
    day,
    frontier,
    growth,
    latency,
    monthly_cost,
    price_multiple,
    tier_choices,
    tornado,
)

CHARTS = (
    comparison,
    concurrency,
    cost,
    day,
    frontier,
    growth,
    latency,
    monthly_cost,
    price_multiple,
    tier_choices,
    tornado,
)
