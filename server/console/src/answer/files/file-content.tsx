import { useEffect, useRef, useState } from 'preact/hooks'
import { formatCount } from '../../parts/format.ts'
import { Code } from '../../parts/markdown/code.tsx'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { isMarkdown, isPicture, languageOf, type RunFile } from './run-files.ts'

/** Of a longer file the beginning is drawn; all of it can be saved. */
const MOST_SHOWN = 200_000
/** A larger picture is drawn smaller, in pixels of either side. */
const MOST_PIXELS = 2_000

interface ContentProps {
  file: RunFile
  blob: Blob
  /** Undefined where it holds no text. */
  text: string | undefined
  /** Markdown as it is written. */
  isSource: boolean
}

/** What a file holds: text in colours, Markdown as it reads, a picture. */
export function FileContent({ file: { path, mimeType }, blob, text, isSource }: ContentProps) {
  if (text === undefined)
    return isPicture(mimeType) ? (
      <Picture blob={blob} name={path} />
    ) : (
      <p class="soft">It holds no text and is no picture: {formatCount(blob.size)} bytes, to be downloaded.</p>
    )
  if (text === '') return <p class="soft">The file is empty.</p>
  const shown = text.slice(0, MOST_SHOWN)
  return (
    <>
      {isMarkdown(path) && !isSource ? (
        <div class="file-text" role="group" tabIndex={0} aria-label={`Content of ${path}`}>
          <Markdown text={shown} />
        </div>
      ) : (
        <Code text={shown} language={languageOf(path)} label={`Content of ${path}`} />
      )}
      {text.length > MOST_SHOWN && (
        <p class="soft small">
          These are the first {formatCount(MOST_SHOWN)} of {formatCount(text.length)} characters.
        </p>
      )}
    </>
  )
}

/** A picture drawn on a canvas: nothing of the file becomes a part of the page. */
function Picture({ blob, name }: { blob: Blob; name: string }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [isBad, setBad] = useState(false)
  useEffect(() => {
    let isGone = false
    createImageBitmap(blob).then(
      (bitmap) => {
        const { current } = canvas
        if (!isGone && current !== null) {
          const scale = Math.min(1, MOST_PIXELS / Math.max(bitmap.width, bitmap.height))
          current.width = Math.max(1, bitmap.width * scale)
          current.height = Math.max(1, bitmap.height * scale)
          current.getContext('2d')?.drawImage(bitmap, 0, 0, current.width, current.height)
        }
        bitmap.close()
      },
      () => !isGone && setBad(true),
    )
    return () => {
      isGone = true
    }
  }, [blob])
  if (isBad) return <p class="soft">The file is no picture that this browser can draw.</p>
  return <canvas ref={canvas} class="file-picture" role="img" aria-label={`Picture ${name}`} />
}
