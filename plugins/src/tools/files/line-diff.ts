/** Lines shown around a change. */
const CONTEXT = 3
/** Differences beyond which a text counts as wholly replaced, so that two long texts are compared in bounded time. */
const MOST_STEPS = 1_000

/**
 * The difference of two texts as a unified diff; empty where they are equal. A line that ends in another way, or not at
 * all, counts as changed.
 *
 * @param before undefined: the file is new
 * @param after undefined: the file is gone
 */
export async function unifiedDiff(
  path: string,
  before: string | undefined,
  after: string | undefined,
): Promise<string> {
  const [old, now] = [before ?? '', after ?? '']
  if (old === now) return ''
  const { structuredPatch } = await import('diff')
  const options = { context: CONTEXT, maxEditLength: MOST_STEPS }
  const hunks = structuredPatch('', '', old, now, '', '', options)?.hunks ?? [
    // two texts of which each is compared with nothing, one below the other
    mergeHunks(structuredPatch('', '', old, '', '', '').hunks[0], structuredPatch('', '', '', now, '', '').hunks[0]),
  ]
  const range = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: shown }) => [
    `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`,
    ...shown.map((line) => line.replace(/\r$/, '')),
  ])
  const name = path.replace(/\p{Cc}/gu, '?')
  const heads = [
    before === undefined ? '--- /dev/null' : `--- ${name}`,
    after === undefined ? '+++ /dev/null' : `+++ ${name}`,
  ]
  return [...heads, ...lines].join('\n')
}

interface Hunk {
  oldStart: number
  oldLines: number
  newStart: number
  newLines: number
  lines: string[]
}

const mergeHunks = (gone: Hunk | undefined, come: Hunk | undefined): Hunk => ({
  oldStart: 1,
  oldLines: gone?.oldLines ?? 0,
  newStart: 1,
  newLines: come?.newLines ?? 0,
  lines: [...(gone?.lines ?? []), ...(come?.lines ?? [])],
})
