import { useLocation } from 'preact-iso'
import { useLoad } from './session/use-load.ts'
import { viewOf } from './view-focus.ts'
import './styles/footer.css'

/** Which folder the server works in, since runs read and change its files. The chat fills its window, and says it by itself. */
export function Footer() {
  return viewOf(useLocation().path) === 'chat' ? null : <Folder />
}

function Folder() {
  const { value } = useLoad((from) => from.describe(), [])
  return (
    <footer class="bottom tiny soft">
      {value !== undefined && (
        <>
          <span class="mono" title="The folder that runs work in">
            {value.policy.root}
          </span>
          <span>svc {value.version}</span>
        </>
      )}
    </footer>
  )
}
