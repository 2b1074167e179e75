import { runtime } from '../session/session.ts'

/** Hands a file to the person, as a download of the browser. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  // The download has begun by then, and holds the content itself.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** Hands a run to the person as a file, as `svc runs export` writes it. */
export async function saveRun(id: string): Promise<void> {
  const pieces: BlobPart[] = []
  for await (const piece of runtime.value.runs.export(id, { all: true })) pieces.push(new Uint8Array(piece))
  saveFile(`${id}.jsonl`, new Blob(pieces, { type: 'application/x-ndjson' }))
}
