import { FormDialog } from '../parts/dialog.tsx'
import { KeyField, takeKey } from './key-field.tsx'
import { hasNoRole, keyWanted, signIn } from './session.ts'
import { NoRoleDialog, SignInDialog } from './sign-in.tsx'

/** Asks who somebody is where the server wants to know: by a sign-in where people sign in, by its key else. */
export function KeyDialog() {
  const { value: wanted } = keyWanted
  if (hasNoRole.value) return <NoRoleDialog />
  if (signIn.value !== undefined) return <SignInDialog isOpen={wanted !== 'no'} issuer={signIn.value.issuer} />
  return (
    <FormDialog title="This server wants a key" doLabel="Go on" isOpen={wanted !== 'no'} isLocked onDo={takeKey}>
      <KeyField isWrong={wanted === 'wrong'} />
    </FormDialog>
  )
}
