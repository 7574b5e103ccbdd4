"""Published or independently derivable queueing values: formula, arguments, value, source."""

ERLANG_B = (
    # offered load, servers, probability, source
    (1.0, 1, 1 / 2, "a / (1 + a)"),
    (2.0, 2, 2 / 5, "(a^2/2) / (1 + a + a^2/2)"),
    (3.0, 4, 27 / 131, "(81/24) / (1 + 3 + 9/2 + 27/6 + 81/24)"),
)
ERLANG_C = (
    (0.5, 1, 1 / 2, "M/M/1: the utilisation"),
    (1.0, 2, 1 / 3, "M/M/2: 2 rho^2 / (1 + rho) with rho = 1/2"),
    (2.0, 3, 4 / 9, "M/M/3 with a = 2: (8/6 * 3) / (1 + 2 + 2 + 8/6 * 3)"),
)
