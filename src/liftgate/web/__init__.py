"""The local page: a server on this machine only, worker processes that run the jobs, and a script that draws."""
