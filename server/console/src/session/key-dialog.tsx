import { FormDialog } from '../parts/dialog.tsx'
import { enterKey, keyWanted } from './session.ts'

/** Asks for the server's key where it wants one; the key stays in this tab. */
export function KeyDialog() {
  const { value: wanted } = keyWanted
  const enter = async (entered: FormData): Promise<void> => {
    const key = String(entered.get('key') ?? '').trim()
    if (key !== '') enterKey(key)
  }
  return (
    <FormDialog title="This server wants a key" doLabel="Go on" isOpen={wanted !== 'no'} isLocked onDo={enter}>
      {wanted === 'wrong' && (
        <p role="alert" class="error-text">
          The server refused the key that was entered.
        </p>
      )}
      <label>
        The value of SERVICE_API_KEY on the server
        <input name="key" type="password" autocomplete="off" required />
      </label>
      <p class="soft small">It is kept in this tab alone and is gone when the tab is closed.</p>
    </FormDialog>
  )
}
