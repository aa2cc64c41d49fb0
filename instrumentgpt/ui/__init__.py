"""The page. Only this package and app.py know Streamlit."""
