/** The second factor: set up by an authenticator app, confirmed by a code of it, and its recovery codes, which are shown once. */
import { useState } from "preact/hooks"
import { useLoaded } from "../parts/load.ts"
import { proven } from "../parts/proof.tsx"
import { Dialog, Fault, Field, Form, Panel } from "../parts/ui.tsx"
import { gateway } from "../session.ts"

const Code = ({ code, onCode }: { readonly code: string; readonly onCode: (code: string) => void }) => (
  <Field label="Code" hint="of the authenticator">
    <input
      required
      autofocus
      class="num"
      inputMode="numeric"
      autocomplete="one-time-code"
      value={code}
      onInput={(event) => onCode(event.currentTarget.value.trim())}
    />
  </Field>
)

interface Enrolment {
  readonly secret: string
  readonly uri: string
}

const SetUp = (props: {
  readonly enrolment: Enrolment
  readonly onCodes: (codes: ReadonlyArray<string>) => void
  readonly onClose: () => void
}) => {
  const [code, setCode] = useState("")
  const { secret, uri } = props.enrolment
  const confirm = async (): Promise<void> => {
    const { recoveryCodes } = await proven(() => gateway.post("auth/totp/confirm", { code }))
    props.onCodes(recoveryCodes)
  }
  return (
    <Dialog title="Second factor" onClose={props.onClose}>
      <p>Give this secret to an authenticator app, then type the code that it shows.</p>
      <p class="secret num">{secret.replace(/(.{4})(?=.)/g, "$1 ")}</p>
      <p>
        <a href={uri}>Open it in an app of this machine</a>
      </p>
      <Form onSend={confirm} button="Confirm">
        <Code code={code} onCode={setCode} />
      </Form>
    </Dialog>
  )
}

const RecoveryCodes = ({ codes, onClose }: { readonly codes: ReadonlyArray<string>; readonly onClose: () => void }) => (
  <Dialog title="Recovery codes, shown this once" onClose={onClose}>
    <ul class="secret num plain-list">
      {codes.map((code) => (
        <li key={code}>{code}</li>
      ))}
    </ul>
    <p class="dim">Each is good once, in the place of a code, when the authenticator is lost.</p>
  </Dialog>
)

const Remove = ({ onDone }: { readonly onDone: () => void }) => {
  const [code, setCode] = useState("")
  const remove = async (): Promise<void> => {
    await proven(() => gateway.post("auth/totp/remove", { code }))
    onDone()
  }
  return (
    <Dialog title="Remove the second factor" onClose={onDone}>
      <Form onSend={remove} button="Remove it" danger={true}>
        <p>Sign-ins need the password alone from then on.</p>
        <Code code={code} onCode={setCode} />
      </Form>
    </Dialog>
  )
}

export const SecondFactor = () => {
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null)
  const [codes, setCodes] = useState<ReadonlyArray<string> | null>(null)
  const [isRemoving, setRemoving] = useState(false)
  const state = useLoaded("second factor", () => gateway.get("auth/totp"))
  const show = (recoveryCodes: ReadonlyArray<string>): void => {
    setEnrolment(null)
    setCodes(recoveryCodes)
    state.again()
  }
  return (
    <Panel title="Second factor">
      <Fault of={state} />
      {state.value?.enrolled === false && (
        <Form
          button="Set it up"
          onSend={async () => setEnrolment(await proven(() => gateway.post("auth/totp/enrol", {})))}
        >
          <p class="dim">
            A code of an authenticator app beside the password. It ends all other sessions when it is confirmed.
          </p>
        </Form>
      )}
      {state.value?.enrolled === true && (
        <div class="form">
          <p>
            It is set up; {state.value.recoveryCodesLeft} recovery{" "}
            {state.value.recoveryCodesLeft === 1 ? "code is" : "codes are"} left.
          </p>
          <div class="acts">
            <Form
              class="inline"
              button="Other recovery codes"
              asks="The old ones end: go on?"
              onSend={async () => show((await proven(() => gateway.post("auth/recoveryCode/renew", {}))).recoveryCodes)}
            />
            <button type="button" class="quiet" onClick={() => setRemoving(true)}>
              Remove…
            </button>
          </div>
        </div>
      )}
      {enrolment !== null && <SetUp enrolment={enrolment} onCodes={show} onClose={() => setEnrolment(null)} />}
      {codes !== null && <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />}
      {isRemoving && (
        <Remove
          onDone={() => {
            setRemoving(false)
            state.again()
          }}
        />
      )}
    </Panel>
  )
}
