"""The stems that are kept in a file are those of the stemmer, and spare a new process its work."""

from snowballstemmer import stemmer

from instrumentgpt.text import terms


def test_a_stem_that_is_kept_is_what_the_stemmer_says():
    english = stemmer("english")
    kept = terms._stems()
    assert {word: english.stemWord(word) for word in kept} == kept


def test_the_words_of_the_synonyms_are_kept_so_that_a_first_prompt_need_not_stem_them():
    kept = terms._stems()
    names = [word for group in terms.quantities() for name in group for word in name.casefold().split()]
    assert [word for word in names if word.isascii() and word.isalpha() and word not in kept] == []
