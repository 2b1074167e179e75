import { useEffect, useRef } from 'preact/hooks'
import { enterKey, keyWanted } from './session.ts'

/** Asks for the server's key where it wants one; the key stays in this tab. */
export function KeyDialog() {
  const dialog = useRef<HTMLDialogElement>(null)
  const { value: wanted } = keyWanted
  useEffect(() => {
    if (wanted === 'no') dialog.current?.close()
    else if (!dialog.current?.open) dialog.current?.showModal()
  }, [wanted])
  return (
    <dialog ref={dialog} aria-labelledby="key-title" onCancel={(event) => event.preventDefault()}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          const field = new FormData(event.currentTarget).get('key')
          if (typeof field === 'string' && field.trim() !== '') enterKey(field.trim())
        }}
      >
        <h2 id="key-title">This server wants a key</h2>
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
        <div class="row">
          <button type="submit" class="primary">
            Go on
          </button>
        </div>
      </form>
    </dialog>
  )
}
