"""How many cards carry a load: replicas of the smallest sound layout, as economy, recommended and headroom plans."""

from __future__ import annotations

from bot.advise.context import AdviceContext
from bot.advise.fit import assumptions_of
from bot.advise.money import price_for, sources_of
from bot.advise.phrases import cards_said, sum_of, usual_choices, weights_label
from bot.advise.readings import format_of, on_plan, read_serving
from bot.advise.setup import Cards, Subject
from bot.answer import Answer, Cell, Table, say
from bot.estimator import Load, ServicePlan, ServingPlan, ServingWorkload, plan_service
from bot.question import Question

_COLUMNS = (
    say("column.plan"),
    say("load.replicas"),
    say("column.speed_each"),
    say("column.ttft"),
    say("column.price_hour"),
)


def answer_load(question: Question, subject: Subject, cards: Cards, context: AdviceContext) -> Answer | None:
    """None where no requests a second are told, or where no layout of these cards carries them."""
    qps = question.slots.qps
    reading = read_serving(question, subject, cards, n_gpus=1, context=context)
    if not qps or cards.gpu is None or not isinstance(reading.workload, ServingWorkload) or reading.refused:
        return None
    plans = plan_service(reading.workload, Load(requests_per_s=qps), context.estimator)
    if not plans:
        return None
    chosen = next((plan for plan in plans if plan.name == "recommended"), plans[0])
    price = price_for(cards.gpu, question, context)
    main = on_plan(reading, ServingPlan(chosen.workload, chosen.estimate, chosen.gpus_each), "yes")
    return Answer(
        question=question,
        headline=say(
            "load.headline",
            cards=cards_said(chosen.n_gpus, cards),
            qps=qps,
            model=subject.label,
            weights=weights_label(format_of(reading)),
            replicas=chosen.replicas,
            each=chosen.gpus_each,
            spare=chosen.spare,
            fewest=plans[0].n_gpus if plans[0].n_gpus < chosen.n_gpus else None,
        ),
        language=question.language,
        answered_from="estimator",
        table=Table(_COLUMNS, tuple(_row(plan, cards, price.amount if price else None) for plan in plans)),
        main=main.scenario(),
        assumptions=assumptions_of(question, main, context),
        sources=sources_of([price], context),
        sum=sum_of(main),
        choices=usual_choices(main),
    )


def _row(plan: ServicePlan, cards: Cards, price: float | None) -> tuple[Cell, ...]:
    estimate = plan.estimate
    return (
        Cell(say("recommend.row", cards=cards_said(plan.n_gpus, cards), weights=None, roles=(say(f"plan.{plan.name}"),))),
        Cell(say("load.replicas_of", replicas=plan.replicas, each=plan.gpus_each, spare=plan.spare)),
        Cell(estimate.decode_tokens_per_s_per_request, "tokens_per_s"),
        Cell(estimate.ttft_ms.times(1 / 1000) if estimate.ttft_ms else None, "band"),
        Cell(price * plan.n_gpus if price else None, "usd"),
    )
