-- By default every role of a PostgreSQL may connect to every database, and whoever connects can hold up all that is said.
REVOKE CONNECT ON DATABASE sshawl FROM PUBLIC;
