/** Money from outside, or to the outside, by an admin: asked for twice, since neither is taken back by a key. */
import { useState } from "preact/hooks"
import { Field, Form, Panel } from "../parts/ui.tsx"
import { move, sentenceOf } from "./moves.ts"

type Way = "deposit" | "withdraw"

export const Deposit = (props: { readonly walletId: string; readonly again: () => void }) => {
  const [walletId, setWallet] = useState(props.walletId)
  const [way, setWay] = useState<Way>("deposit")
  const [asset, setAsset] = useState("USDT")
  const [amount, setAmount] = useState("")
  const [done, setDone] = useState<string | null>(null)
  const changed = <A,>(set: (value: A) => void, value: A): void => {
    set(value)
    setDone(null)
  }
  const asked = { way, body: { walletId, asset, amount } }
  const send = async (): Promise<void> => {
    // Without an answer it stands among the moves: the form is for another one.
    if (await move(asked)) setDone(`${amount} ${asset} ${way === "deposit" ? "came in" : "went out"}.`)
    setAmount("")
    props.again()
  }
  return (
    <Panel title="Money from and to the outside">
      <Form
        onSend={send}
        button={way === "deposit" ? "Deposit" : "Withdraw"}
        danger={way === "withdraw"}
        asks={`${way === "deposit" ? "Put" : "Take"} ${sentenceOf(asked)}?`}
      >
        <Field label="Wallet" hint="of any user of the tenant">
          <input
            required
            class="num left"
            value={walletId}
            onInput={(event) => changed(setWallet, event.currentTarget.value.trim())}
          />
        </Field>
        <div class="pair">
          <Field label="Amount">
            <input
              required
              class="num"
              inputMode="decimal"
              value={amount}
              onInput={(event) => changed(setAmount, event.currentTarget.value.trim())}
            />
          </Field>
          <Field label="Asset">
            <input
              required
              value={asset}
              onInput={(event) => changed(setAsset, event.currentTarget.value.trim().toUpperCase())}
            />
          </Field>
        </div>
        <Field label="Way">
          <select value={way} onChange={(event) => changed(setWay, event.currentTarget.value as Way)}>
            <option value="deposit">in: a deposit</option>
            <option value="withdraw">out: a withdrawal</option>
          </select>
        </Field>
        {done !== null && <p role="status">{done}</p>}
      </Form>
    </Panel>
  )
}
