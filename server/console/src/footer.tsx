import { useLoad } from './session/use-load.ts'
import './styles/footer.css'

/** Which folder the server works in: on every page, since runs read and change its files. */
export function Footer() {
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
