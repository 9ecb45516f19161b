-- Who says what a long result has, where it comes from outside. NULL for what a tool says itself.

ALTER TABLE results ADD COLUMN outside TEXT;
