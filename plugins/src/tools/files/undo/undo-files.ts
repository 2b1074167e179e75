import type { PathContent, PathState, WorkspaceFiles } from '@svc/core'
import { decodeText } from '../encoding.ts'
import { SNIFF_BYTES, typeOfBinary } from '../file-type.ts'
import { unifiedDiff } from '../line-diff.ts'
import { realOf } from '../workspace.ts'
import { placeOf, readState } from './path-state.ts'
import { putBack } from './put-back.ts'

/** Larger texts are not compared line by line. */
const MOST_COMPARED_BYTES = 1_000_000

/** How undo looks at the files of a folder, and puts them back. */
export function createUndoFiles(workspace: string): Pick<WorkspaceFiles, 'look' | 'compare' | 'restore'> {
  return {
    async look(paths) {
      const root = realOf(workspace)
      const states: (PathState | undefined)[] = []
      for (const path of paths) states.push(withoutContent(await readState(placeOf(root, path))))
      return states
    },
    async compare({ path, now, to }) {
      if ([now, to].some((state) => state !== undefined && state.kind !== 'file')) return undefined
      const there = now && (await readState(placeOf(realOf(workspace), path)))
      const [before, after] = [there, to].map((state) => textOf(path, state))
      if ((now && before === undefined) || (to && after === undefined)) return undefined
      return unifiedDiff(path, before, after)
    },
    restore: async (restorations, mark) => putBack(realOf(workspace), restorations, `.svc-undo-${mark}`),
  }
}

function withoutContent(state: PathContent | undefined): PathState | undefined {
  if (state === undefined) return undefined
  const { content: _content, lost: _lost, ...rest } = state
  return rest
}

/** Undefined for what is no text, too long, or not at hand. */
function textOf(path: string, state: PathContent | undefined): string | undefined {
  if (state?.content === undefined || state.content.length > MOST_COMPARED_BYTES) return undefined
  const bytes = Buffer.from(state.content)
  return typeOfBinary(bytes.subarray(0, SNIFF_BYTES), path) === undefined ? decodeText(bytes) : undefined
}
