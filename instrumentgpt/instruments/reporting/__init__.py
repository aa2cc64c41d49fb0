"""Behind report.py: what stands in the tables of a report, and its words."""
