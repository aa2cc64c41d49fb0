"""The page: `streamlit run app.py`. Streamlit imports this once as its server, and runs it to draw a page."""

import streamlit as st

if __name__ == "__main__":
    from instrumentgpt.ui import navigation

    navigation.draw()
else:
    from instrumentgpt.ui import server

    app = st.App(__file__, **server.parts())
