-- What each later request of a turn had that the one before it had not: with the turn's prompt, which is
-- what its first request was made of, this is every byte that was sent. JSON; see SentStep in src/turns/ports.ts.

CREATE TABLE turn_steps (
  turn TEXT NOT NULL REFERENCES turns (id),
  step INTEGER NOT NULL,
  sent TEXT NOT NULL,
  PRIMARY KEY (turn, step)
) STRICT, WITHOUT ROWID;
