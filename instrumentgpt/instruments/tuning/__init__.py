"""Behind plant.py and advice.py: the search for models, margins, predictions, gains in force."""
