/** Money without an answer: what was asked for, and the one thing to do about it. */
import { age } from "../format.ts"
import { now } from "../live.ts"
import { Form, Panel } from "../parts/ui.tsx"
import { may } from "../session.ts"
import { forget, type Move, moves, sendAgain, sentenceOf } from "./moves.ts"

const WORDS: Readonly<Record<Move["state"], string>> = {
  sending: "on its way: no answer yet",
  unknown: "no answer: whether it is done is not known. Sent again, it is done once.",
  done: "done",
  refused: "refused: nothing was moved",
}

const TITLES = { deposit: "Deposit", withdraw: "Withdrawal", transfer: "Transfer" } as const

/** An answer is seldom later; what has one is not shown at all. */
const SHOWN_AFTER_MS = 1_000

const Row = ({ it, again }: { readonly it: Move; readonly again: () => void }) => (
  <li class={it.state} data-move={it.state}>
    <strong>{TITLES[it.asked.way]}</strong> <span class="num">{sentenceOf(it.asked)}</span>{" "}
    <span class={it.state === "unknown" ? "flag" : ""}>{WORDS[it.state]}</span>{" "}
    <span class="dim num">{age(now.value - it.at)} ago</span>
    {"why" in it && <span class="fault"> {it.why}</span>}
    {it.state === "unknown" && may("write") && (
      <div class="acts">
        <Form class="inline" button="Send again" onSend={() => sendAgain(it).then(again)} />
        <Form
          class="inline"
          danger={true}
          button="Give it up"
          asks="It may be done: is it in the statement?"
          onSend={async () => forget(it.key)}
        />
      </div>
    )}
    {(it.state === "done" || it.state === "refused") && (
      <button type="button" class="quiet" onClick={() => forget(it.key)}>
        Dismiss
      </button>
    )}
  </li>
)

export const Moves = ({ again }: { readonly again: () => void }) => {
  const shown = moves.value.filter(({ state, at }) => state !== "sending" || now.value - at > SHOWN_AFTER_MS)
  return shown.length === 0 ? null : (
    <Panel title="Money on its way">
      <ul class="sent" aria-label="Money on its way">
        {shown.map((it) => (
          <Row key={it.key} it={it} again={again} />
        ))}
      </ul>
    </Panel>
  )
}
