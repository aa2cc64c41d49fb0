"""What the offline analyst does for the modes besides answering a question: a function per task."""
