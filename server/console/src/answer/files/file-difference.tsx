import { createTwoFilesPatch } from 'diff'
import { useMemo } from 'preact/hooks'
import { DiffText } from '../../parts/diff-text.tsx'
import { useLoad } from '../../session/use-load.ts'
import { type RunFile, textOf } from './run-files.ts'

/** Longer texts are not compared. */
const MOST_COMPARED = 1_000_000
/** Lines that differ at most; it takes the square of them in time. */
const MOST_EDITS = 4_000

interface DifferenceProps {
  runId: string
  file: RunFile
  /** As the run left it; undefined where that is no text. */
  after: string | undefined
}

/** What a run changed in a file, line by line. */
export function FileDifference({ runId, file: { path, artifactId = '', change }, after }: DifferenceProps) {
  const { value, error } = useLoad(
    async (from, signal) =>
      change === 'created'
        ? { before: '' }
        : {
            before: await textOf(await from.readArtifact(runId, artifactId, { all: true, version: 'before', signal })),
          },
    [runId, artifactId],
  )
  const before = value?.before
  const patch = useMemo(
    () => (before === undefined || after === undefined ? undefined : compare(before, after)),
    [before, after],
  )
  if (error !== undefined) return <p class="soft">What it was before is not known: {error.message}.</p>
  if (value === undefined) return <p class="soft">Loading…</p>
  if (before === undefined || after === undefined) return <p class="soft">It holds no text that could be compared.</p>
  if (before === after) return <p class="soft">Before and after the run, the file is the same.</p>
  if (patch === undefined) return <p class="soft">Too much differs to be shown line by line.</p>
  return <DiffText text={patch} label={`Difference of ${path}`} mostLines={2_000} />
}

function compare(before: string, after: string): string | undefined {
  if (before.length + after.length > MOST_COMPARED) return undefined
  const patch = createTwoFilesPatch('', '', before, after, '', '', { context: 3, maxEditLength: MOST_EDITS })
  // The names of the two files stand above it already.
  return patch?.slice(patch.indexOf('@@')).replace(/\n$/, '')
}
