/** Money from outside, or to the outside, by an admin. The one thing to know: repeated under one key until it is answered, money moves once. */
import { useState } from "preact/hooks"
import { newId } from "../parts/new-id.ts"
import { proven } from "../parts/proof.tsx"
import { Field, Form, Panel } from "../parts/ui.tsx"
import { gateway } from "../session.ts"

type Way = "deposit" | "withdraw"

export const Deposit = (props: { readonly walletId: string; readonly again: () => void }) => {
  const [walletId, setWallet] = useState(props.walletId)
  const [way, setWay] = useState<Way>("deposit")
  const [asset, setAsset] = useState("USDT")
  const [amount, setAmount] = useState("")
  const [key, setKey] = useState(() => newId())
  const [done, setDone] = useState<string | null>(null)
  const changed = <A,>(set: (value: A) => void, value: A): void => {
    set(value)
    setKey(newId())
    setDone(null)
  }
  const send = async (): Promise<void> => {
    await proven(() =>
      gateway.post(`wallet/${way}`, { walletId, asset, amount }, { headers: { "Idempotency-Key": key } }),
    )
    setDone(`${amount} ${asset} ${way === "deposit" ? "came in" : "went out"}.`)
    setKey(newId())
    setAmount("")
    props.again()
  }
  return (
    <Panel title="Money from and to the outside">
      <Form
        onSend={send}
        button={way === "deposit" ? "Deposit" : "Withdraw"}
        danger={way === "withdraw"}
        {...(way === "withdraw" ? { asks: `Take ${amount} ${asset} out of it?` } : {})}
      >
        <Field label="Wallet" hint="of any user of the tenant">
          <input
            required
            class="num"
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
