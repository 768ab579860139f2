/** Dangerous acts need a proof of who asks that is fresh: where the gateway says so the password is asked for, and the act is done then. */
import { signal } from "@preact/signals"
import { useState } from "preact/hooks"
import { GatewayError } from "../../../clients/typescript/src/index.ts"
import { reauthenticate } from "../session.ts"
import { Dialog, Field, Form } from "./ui.tsx"

interface Asked {
  readonly needsCode: boolean
  readonly done: (isProven: boolean) => void
}

const asked = signal<Asked | null>(null)

/** Nothing was done. */
export class NotProven extends Error {
  constructor() {
    super("Not done: it was not proven who asks.")
  }
}

/** Does the act, once more after a proof where one is needed. */
export const proven = async <A,>(act: () => Promise<A>): Promise<A> => {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof GatewayError) || !error.is("REAUTHENTICATION_NEEDED")) throw error
    const needs = error.metadata["needs"]
    const needsCode = Array.isArray(needs) && needs.includes("totp")
    const isProven = await new Promise<boolean>((done) => {
      asked.value = { needsCode, done }
    })
    asked.value = null
    if (!isProven) throw new NotProven()
    return act()
  }
}

export const ProofDialog = () => {
  const [currentPassword, setPassword] = useState("")
  const [totpCode, setCode] = useState("")
  const now = asked.value
  if (now === null) return null
  /** The dialog stays in the page: what was typed into it must not. */
  const leave = (isProven: boolean): void => {
    setPassword("")
    setCode("")
    now.done(isProven)
  }
  const prove = async (): Promise<void> => {
    const body = totpCode === "" ? { currentPassword } : { currentPassword, totpCode }
    await reauthenticate(body)
    leave(true)
  }
  return (
    <Dialog title="Prove that it is you" onClose={() => leave(false)}>
      <p class="dim">This act is refused without a sign-in of the last minutes.</p>
      <Form onSend={prove} button="Go on">
        <Field label="Password">
          <input
            type="password"
            autocomplete="current-password"
            value={currentPassword}
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
        </Field>
        {now.needsCode && (
          <Field label="Code" hint="of the authenticator, or a recovery code">
            <input
              autocomplete="one-time-code"
              value={totpCode}
              onInput={(event) => setCode(event.currentTarget.value)}
            />
          </Field>
        )}
      </Form>
    </Dialog>
  )
}
