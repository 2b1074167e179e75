import { enterKey } from './session.ts'

/** Goes on with the key that was entered. */
export async function takeKey(entered: FormData): Promise<void> {
  const key = String(entered.get('key') ?? '').trim()
  if (key !== '') enterKey(key)
}

/** Where the server's key is entered; it stays in this tab. */
export function KeyField({ isWrong }: { isWrong: boolean }) {
  return (
    <>
      {isWrong && (
        <p role="alert" class="error-text">
          The server refused the key that was entered.
        </p>
      )}
      <label>
        The value of SERVICE_API_KEY on the server
        <input name="key" type="password" autocomplete="off" required />
      </label>
      <p class="soft small">It is kept in this tab alone and is gone when the tab is closed.</p>
    </>
  )
}
