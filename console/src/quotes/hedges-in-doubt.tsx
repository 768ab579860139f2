/** Hedges in doubt whose venue cannot be asked any more: an admin says what each executed, having looked at the venue. */
import { useState } from "preact/hooks"
import type { components } from "../../../clients/typescript/src/index.ts"
import { age, shortId } from "../format.ts"
import { proven } from "../parts/proof.tsx"
import { Dialog, Field, Form } from "../parts/ui.tsx"
import { canChange, gateway } from "../session.ts"

type Hedging = components["schemas"]["HedgeReport"]
type Doubt = Hedging["inDoubt"][number]

const Resolve = (props: {
  readonly dealerAccountId: string
  readonly symbol: string
  readonly doubt: Doubt
  readonly onDone: () => void
}) => {
  const { doubt, dealerAccountId, symbol } = props
  const [executedQuantity, setQuantity] = useState("")
  const [averagePrice, setPrice] = useState("")
  const resolve = async (): Promise<void> => {
    const body = { dealerAccountId, tradeOrderId: doubt.tradeOrderId, executedQuantity }
    await proven(() => gateway.post("dealer/hedge/resolve", averagePrice === "" ? body : { ...body, averagePrice }))
    props.onDone()
  }
  return (
    <Dialog
      title={`Hedge ${shortId(doubt.tradeOrderId)}: ${doubt.orderSide} ${doubt.quantity} ${symbol}`}
      onClose={props.onDone}
    >
      <p>
        Look at the venue first: what is said here is believed, and what is open then is hedged at once. Should the
        venue tell of more after all, that counts.
      </p>
      <Form onSend={resolve} button="Say so" danger={true}>
        <div class="pair">
          <Field label="Executed" hint="of all; 0: nothing">
            <input
              required
              autofocus
              class="num"
              inputMode="decimal"
              value={executedQuantity}
              onInput={(event) => setQuantity(event.currentTarget.value.trim())}
            />
          </Field>
          <Field label="Average price" hint="unless nothing">
            <input
              class="num"
              inputMode="decimal"
              value={averagePrice}
              onInput={(event) => setPrice(event.currentTarget.value.trim())}
            />
          </Field>
        </div>
      </Form>
    </Dialog>
  )
}

export const HedgesInDoubt = (props: {
  readonly dealerAccountId: string
  readonly line: Hedging
  readonly again: () => void
}) => {
  const [asked, setAsked] = useState<Doubt | null>(null)
  const { line } = props
  return (
    <>
      {line.inDoubt.map((it) => (
        <div key={it.tradeOrderId} class="flag" title={it.tradeOrderId}>
          in doubt: {it.orderSide} {it.quantity}, {age(it.ageMs)}{" "}
          {canChange() && (
            <button type="button" class="quiet" onClick={() => setAsked(it)}>
              Resolve…
            </button>
          )}
        </div>
      ))}
      {asked !== null && (
        <Resolve
          dealerAccountId={props.dealerAccountId}
          symbol={line.symbol}
          doubt={asked}
          onDone={() => {
            setAsked(null)
            props.again()
          }}
        />
      )}
    </>
  )
}
