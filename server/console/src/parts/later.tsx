import type { FunctionComponent } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** A component whose code is loaded when it is first shown; nothing stands in its place until then. */
export function later<Props extends object>(
  load: () => Promise<{ default: FunctionComponent<Props> }>,
): FunctionComponent<Props> {
  let loaded: FunctionComponent<Props> | undefined
  return function Later(props) {
    const [failed, setFailed] = useState<{ thrown: unknown } | undefined>(undefined)
    const [, draw] = useState(0)
    useLayoutEffect(() => {
      if (loaded !== undefined) return
      load().then(
        (found) => {
          loaded = found.default
          draw((turn) => turn + 1)
        },
        (thrown) => setFailed({ thrown }),
      )
    }, [])
    if (failed !== undefined) throw failed.thrown
    const Loaded = loaded
    return Loaded === undefined ? null : <Loaded {...props} />
  }
}
