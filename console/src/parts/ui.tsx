/** Small pieces that every screen is made of. */
import type { ComponentChildren, TargetedSubmitEvent } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { bothClocks, clockOfDay, filling } from "../format.ts"
import { wordsOf } from "../session.ts"

export const Panel = (props: {
  readonly title: string
  readonly aside?: ComponentChildren
  readonly class?: string
  readonly children: ComponentChildren
}) => (
  <section class={`panel ${props.class ?? ""}`} aria-label={props.title}>
    <header>
      <h2>{props.title}</h2>
      {props.aside}
    </header>
    {props.children}
  </section>
)

/** A part that scrolls, by the keyboard too. */
export const Scroll = (props: {
  readonly label: string
  readonly isTall?: boolean
  readonly children: ComponentChildren
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what cannot be focused cannot be scrolled by keys.
  // biome-ignore lint/a11y/useSemanticElements: it is no landmark, its panel is.
  <div class={props.isTall === true ? "scroll tall" : "scroll"} tabIndex={0} role="group" aria-label={props.label}>
    {props.children}
  </div>
)

/** A table that scrolls: its heads, `<th>` by `<th>`, and below them its rows. */
export const Table = (props: {
  readonly label: string
  readonly heads: ComponentChildren
  readonly class?: string
  readonly isTall?: boolean
  readonly children: ComponentChildren
}) => (
  <Scroll label={props.label} isTall={props.isTall === true}>
    <table class={props.class ?? ""}>
      <thead>
        <tr>{props.heads}</tr>
      </thead>
      <tbody>{props.children}</tbody>
    </table>
  </Scroll>
)

/** Explains what it surrounds, on hover and on focus; drawn over everything, so no scrolling part cuts it off. */
export const Hint = (props: { readonly lines: ReadonlyArray<string>; readonly children: ComponentChildren }) => {
  const box = useRef<HTMLSpanElement>(null)
  const [at, setAt] = useState<{ readonly left: number; readonly top: number; readonly above: boolean } | null>(null)
  const show = (): void => {
    const place = box.current?.getBoundingClientRect()
    if (place === undefined) return
    const above = place.bottom > innerHeight - 160
    setAt({ left: Math.max(8, Math.min(place.left, innerWidth - 356)), top: above ? place.top : place.bottom, above })
  }
  const hide = (): void => setAt(null)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is told on hover is told to the keyboard, too.
    // biome-ignore lint/a11y/noStaticElementInteractions: nothing is done there, something is told.
    <span class="hint" ref={box} tabIndex={0} onMouseEnter={show} onMouseLeave={hide} onFocus={show} onBlur={hide}>
      {props.children}
      {at !== null && (
        <span
          class={at.above ? "tip above" : "tip"}
          role="tooltip"
          style={{ left: `${at.left}px`, top: `${at.top}px` }}
        >
          {props.lines.map((line) => (
            <span key={line}>{line}</span>
          ))}
        </span>
      )}
    </span>
  )
}

export const Time = ({ ms }: { readonly ms: number }) => (
  <time class="num" dateTime={new Date(ms).toISOString()} title={bothClocks(ms)}>
    {clockOfDay(ms, Date.now())}
  </time>
)

/** A decimal in a column of others: points stand below each other. */
export const Num = ({ text, digits = 0 }: { readonly text: string | null; readonly digits?: number }) =>
  text === null ? (
    <span class="dim">–</span>
  ) : (
    <span class="num">
      {text}
      <i aria-hidden="true">{filling(text, digits)}</i>
    </span>
  )

export const Empty = ({ children }: { readonly children: ComponentChildren }) => <p class="empty">{children}</p>

export const Problem = ({ children }: { readonly children: ComponentChildren }) => (
  <p class="problem" role="alert">
    {children}
  </p>
)

/** What went wrong with what a screen reads; nothing where nothing did. */
export const Fault = ({ of }: { readonly of: { readonly fault: string | null } }) =>
  of.fault === null ? null : <Problem>{of.fault}</Problem>

export const Field = (props: {
  readonly label: string
  readonly hint?: string
  readonly children: ComponentChildren
}) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is what it is given.
  <label class="field">
    <span>
      {props.label}
      {props.hint !== undefined && <small>{props.hint}</small>}
    </span>
    {props.children}
  </label>
)

export const Dialog = (props: {
  readonly title: string
  readonly onClose: () => void
  readonly class?: string
  readonly children: ComponentChildren
}) => {
  const box = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    box.current?.showModal()
  }, [])
  return (
    <dialog ref={box} class={props.class ?? ""} aria-label={props.title} onClose={props.onClose}>
      <header>
        <h2>{props.title}</h2>
        <button type="button" class="quiet" onClick={() => box.current?.close()}>
          <span class="unseen">Close </span>Esc
        </button>
      </header>
      {props.children}
    </dialog>
  )
}

/**
 * A form that is sent by its button or Enter, once at a time; says what went wrong below. `asks`: what cannot be taken back is asked for by the
 * first press and done by the second, which is neither a double click's nor that of a key held down.
 */
export const Form = (props: {
  readonly onSend: () => Promise<unknown>
  readonly button: string
  readonly class?: string
  readonly danger?: boolean
  readonly asks?: string
  readonly children?: ComponentChildren
}) => {
  const [isArmed, setArmed] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  const send = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    if (isBusy) return
    if (props.asks !== undefined && !isArmed) {
      setArmed(true)
      return
    }
    setArmed(false)
    setBusy(true)
    setFault(null)
    props
      .onSend()
      .catch((error: unknown) => setFault(wordsOf(error)))
      .finally(() => setBusy(false))
  }
  return (
    <form
      class={props.class ?? "form"}
      onSubmit={send}
      onInput={() => setArmed(false)}
      onKeyDown={(event) => {
        if (props.asks !== undefined && event.repeat && event.key === "Enter") event.preventDefault()
      }}
    >
      {props.children}
      <button
        type="submit"
        class={props.danger === true ? "danger" : "primary"}
        disabled={isBusy}
        onClick={(event) => {
          if (isArmed && event.detail > 1) event.preventDefault()
        }}
        onBlur={() => setArmed(false)}
      >
        {isBusy ? "…" : isArmed ? props.asks : props.button}
      </button>
      {fault !== null && <Problem>{fault}</Problem>}
    </form>
  )
}
