import { useSignal } from '@preact/signals'
import { canNotify, isNotifying, toggleNotifications } from './notify.ts'

/** Switches on that the browser says what waits, and what has ended, while the page is not in sight. */
export function NotifyButton() {
  const isRefused = useSignal(false)
  if (!canNotify) return null
  return (
    <>
      <button
        type="button"
        class="plain tool"
        aria-pressed={isNotifying.value}
        title="When a call waits for you, or a run of yours ends, while no window of the console is in sight"
        onClick={async () => {
          isRefused.value = (await toggleNotifications()) === 'refused'
        }}
      >
        <span aria-hidden="true" class="sign">
          {isNotifying.value ? '◉' : '◎'}
        </span>
        <span class="label">Notify me</span>
      </button>
      <span class="hidden-label" role="status">
        {isRefused.value ? 'The browser does not allow notifications of this page: its settings change that.' : ''}
      </span>
    </>
  )
}
