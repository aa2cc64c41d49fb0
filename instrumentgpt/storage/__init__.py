"""What db.py is made of: migrations, and the tables of runs and artifacts."""
