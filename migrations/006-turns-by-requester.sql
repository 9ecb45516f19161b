-- What one person's turns have used since a time, for the daily quota.

CREATE INDEX turns_by_requester ON turns (requester, started_at);
