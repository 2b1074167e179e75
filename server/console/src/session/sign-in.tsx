import { useSignal } from '@preact/signals'
import { toShownText } from '@svc/core/client'
import { signOut as endSession } from '@svc/sdk/remote'
import { Dialog, FormDialog } from '../parts/dialog.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { KeyField, takeKey } from './key-field.tsx'
import { keyWanted, person } from './session.ts'
import { useAction } from './use-action.ts'

const PARAMETER = 'sign-in'
const REASONS: Readonly<Record<string, string>> = {
  refused: 'The provider has refused the sign-in.',
  unavailable: 'The provider cannot be reached. A key of the server is good all the same.',
  failed: 'The sign-in did not end well. Try it again; the log of the server says why.',
}

/** Why the last sign-in failed, as the address says once. */
const takeReason = (): string | undefined => {
  const { searchParams, pathname, hash } = new URL(location.href)
  const reason = REASONS[searchParams.get(PARAMETER) ?? '']
  searchParams.delete(PARAMETER)
  const rest = searchParams.size === 0 ? '' : `?${searchParams}`
  if (reason !== undefined) history.replaceState(history.state, '', pathname + rest + hash)
  return reason
}
const reason = takeReason()

interface SignInDialogProps {
  isOpen: boolean
  issuer: string
}

/** The way to the provider, and back to this page. A key is good where the provider is away. */
export function SignInDialog({ isOpen, issuer }: SignInDialogProps) {
  const asksKey = useSignal(false)
  const { value: wanted } = keyWanted
  const to = new URLSearchParams({ to: location.pathname + location.search })
  if (asksKey.value)
    return (
      <FormDialog
        title="Use a key of the server"
        doLabel="Go on"
        isOpen={isOpen}
        isLocked
        onDo={takeKey}
        onClose={() => (asksKey.value = false)}
      >
        <KeyField isWrong={wanted === 'wrong'} />
      </FormDialog>
    )
  return (
    <Dialog label="Sign in" isOpen={isOpen} isLocked>
      <div class="stack">
        <h2>Sign in</h2>
        {wanted === 'wrong' && (
          <p role="alert" class="error-text">
            The server refused the key that was entered.
          </p>
        )}
        {reason !== undefined && (
          <p role="alert" class="error-text">
            {reason}
          </p>
        )}
        <div class="row">
          <a class="button primary" href={`/auth/sign-in?${to}`}>
            Sign in with {hostOf(issuer)}
          </a>
          <button type="button" class="plain" onClick={() => (asksKey.value = true)}>
            Use a key
          </button>
        </div>
      </div>
    </Dialog>
  )
}

const hostOf = (issuer: string): string => (URL.canParse(issuer) ? new URL(issuer).host : toShownText(issuer))

/** Somebody is signed in, and may do nothing. */
export function NoRoleDialog() {
  return (
    <Dialog label="You have no role here" isOpen isLocked>
      <div class="stack">
        <h2>You have no role here</h2>
        <p>
          You are signed in as <strong>{toShownText(person.value ?? '')}</strong>, and none of your roles or groups
          gives you anything on this server. Ask who runs it to add one of them to <code>server.oidc.roles</code>, then
          sign out and in again.
        </p>
        <SignOut />
      </div>
    </Dialog>
  )
}

function SignOut() {
  const { act, isBusy, error } = useAction(signOut)
  return (
    <>
      <ErrorNote error={error} />
      <div class="row">
        <button type="button" class="primary" disabled={isBusy} onClick={() => void act()}>
          Sign out
        </button>
      </div>
    </>
  )
}

async function signOut(): Promise<void> {
  await endSession({ serverUrl: location.origin })
  // A page that begins anew holds nothing of who was here.
  location.assign('/console/')
}

/** Who is signed in, and the way out. */
export function PersonButton() {
  const { act, isBusy, error } = useAction(signOut)
  const { value: name } = person
  if (name === undefined) return null
  return (
    <button
      type="button"
      class="plain tool"
      disabled={isBusy}
      title={error?.message ?? `Signed in as ${toShownText(name)}`}
      onClick={() => void act()}
    >
      <span aria-hidden="true" class="sign">
        ⎋
      </span>
      <span class="label">Sign out {toShownText(name)}</span>
    </button>
  )
}
