/** Chooses an instrument: type a few letters, Enter takes the first. */
import { useMemo, useState } from "preact/hooks"
import { chosen } from "../live.ts"
import { useLoaded } from "../parts/load.ts"
import { Dialog, Empty, Fault, Field } from "../parts/ui.tsx"
import { gateway } from "../session.ts"
import { instrument } from "./market.ts"

const SHOWN = 60

export const Picker = (props: {
  readonly title: string
  readonly onTake: (id: string) => void
  /** All that are shown at once; without it one is taken. */
  readonly onTakeAll?: (ids: ReadonlyArray<string>) => void
  readonly onClose: () => void
}) => {
  const { onTakeAll, onClose } = props
  const [venue, setVenue] = useState(chosen.value?.venue ?? instrument.value?.venue ?? "MOCK")
  const [text, setText] = useState("")
  const venues = useLoaded("venues", () => gateway.get("market/venue/list")).value ?? []
  const found = useLoaded(`instruments ${venue}`, async () => {
    const all: Array<{ readonly instrumentId: string; readonly symbol: string; readonly securityType: string }> = []
    for await (const it of gateway.pages("market/instrument/list", { venue, limit: 1_000 }))
      if (it.status === "ACTIVE") all.push(it)
    return all
  })
  const shown = useMemo(() => {
    const wanted = text.toUpperCase().split(/\s+/)
    return (found.value ?? []).filter(({ symbol }) => wanted.every((it) => symbol.includes(it))).slice(0, SHOWN)
  }, [found.value, text])
  const take = (id: string): void => {
    props.onTake(id)
    onClose()
  }
  return (
    <Dialog title={props.title} onClose={onClose} class="picker">
      <form
        class="pair"
        onSubmit={(event) => {
          event.preventDefault()
          if (shown[0] !== undefined) take(shown[0].instrumentId)
        }}
      >
        <Field label="Search">
          <input
            autofocus
            autocomplete="off"
            placeholder="BTC USDT"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </Field>
        <Field label="Venue">
          <select value={venue} onChange={(event) => setVenue(event.currentTarget.value)}>
            {venues.map((it) => (
              <option key={it.venue} value={it.venue} disabled={it.status !== "ACTIVE"}>
                {it.venue}
              </option>
            ))}
          </select>
        </Field>
      </form>
      <Fault of={found} />
      {found.value === null && found.fault === null && <Empty>Loading the instruments of {venue}…</Empty>}
      {found.value !== null && shown.length === 0 && <Empty>Nothing of {venue} is called so.</Empty>}
      {onTakeAll !== undefined && shown.length > 1 && (
        <p>
          <button
            type="button"
            onClick={() => {
              onTakeAll(shown.map(({ instrumentId }) => instrumentId))
              onClose()
            }}
          >
            Take all {shown.length}
          </button>
        </p>
      )}
      <ul class="choices">
        {shown.map((it) => (
          <li key={it.instrumentId}>
            <button type="button" onClick={() => take(it.instrumentId)}>
              <strong>{it.symbol}</strong> <small class="dim">{it.securityType.toLowerCase()}</small>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
