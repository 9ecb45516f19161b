-- The model of a talk, a room in which this model answers each line of the owner. NULL: the room is no talk.
ALTER TABLE rooms ADD COLUMN talk TEXT;
