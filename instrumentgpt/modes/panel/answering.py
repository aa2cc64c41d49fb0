"""Questions on a panel that is done, answered from its record: who said what of it, with its lines."""

from collections.abc import Iterator, Mapping, Sequence

from instrumentgpt.analyst.words import line_link, plain_text
from instrumentgpt.instruments.faults import cause_title
from instrumentgpt.memory.terms import phrases
from instrumentgpt.modes.panel.expert_memory import SubProblemResult
from instrumentgpt.modes.panel.prompts import Context
from instrumentgpt.modes.panel.wording import say
from instrumentgpt.storage.notes import holds

MOST_STATEMENTS = 6  # shown of a record
COMMON = 0.5  # share of the statements from which on a term of the question tells nothing


def from_record(question: str, results: Sequence[SubProblemResult], ending: str, context: Context) -> str:
    """Return what the panel's record says that bears on `question`, else its conclusion, `ending`."""
    language = context.language
    statements = list(_statements(results, context))
    asked = [
        phrase
        for phrase in phrases(question)
        if 0 < sum(holds(words, [phrase]) for _, words, _ in statements) <= COMMON * len(statements)
    ]
    scored = [(holds(words, asked), shown, code) for shown, words, code in statements]
    best = sorted((row for row in scored if row[0]), key=lambda row: -row[0])[:MOST_STATEMENTS]
    if not best:
        return f"{say('nothing_on_it', language)}\n\n{ending}"
    count = len({code for _, _, code in best})
    return "\n".join([say("about_panel", language, count=count), "", *(shown for _, shown, _ in best)])


def _statements(results: Sequence[SubProblemResult], context: Context) -> Iterator[tuple[str, str, str]]:
    """Yield each statement of the record once: as it is shown, the words it is found by, and whose it is."""
    language, known = context.language, set[str]()
    for result in results:
        for said in result.said:
            expert = context.experts.get(said.expert)
            if expert is None:
                continue
            held = said.contribution
            who = f"**{plain_text(expert.name(language))}** ({result.sub_problem_id})"
            about = " ".join(f"{words.name} {words.field}" for words in expert.words.values())
            rows: list[tuple[str, str, str]] = [(held.cause, plain_text(held.position), held.position)]
            for row in held.rejects:
                link = f" ({line_link(str(context.brief['reference']), row.line)})" if row.line else ""
                told: Mapping[str, str] = {
                    "title": plain_text(cause_title(row.cause, language)),
                    "because": plain_text(row.because) + link,
                }
                rows.append((row.cause, say("rules_out", language, **told), row.because))
            rows += [("", plain_text(claim.text), claim.text) for claim in held.claims]
            for cause, shown, words in rows:
                titles = f"{cause_title(cause, 'en')} {cause_title(cause, 'zh')}" if cause else ""
                if shown not in known:
                    known.add(shown)
                    yield f"- {who}: {shown}", f"{about} {titles} {words}", said.expert
