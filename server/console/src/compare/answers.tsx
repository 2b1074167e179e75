import type { Run } from '@svc/sdk/remote'
import { useMemo } from 'preact/hooks'
import { Card } from '../parts/card.tsx'
import { useCut } from '../parts/text.tsx'
import { cutStretches, diffTexts, type Stretch } from './diff-texts.ts'

/** What the two runs answered, with the words that only one of them has marked. */
export function Answers({ left, right }: { left: Run; right: Run }) {
  const [one, other] = [answerOf(left), answerOf(right)]
  const diff = useMemo(() => diffTexts(one, other), [one, other])
  const said = diff.isSame ? 'the same' : 'what only one of them says is marked'
  return (
    <Card title="Answers" note={one === '' && other === '' ? 'none yet' : said}>
      <div class="sides body">
        <Answer name="Answer of run A" tone="left" stretches={diff.left} />
        <Answer name="Answer of run B" tone="right" stretches={diff.right} />
      </div>
    </Card>
  )
}

function Answer({ name, tone, stretches }: { name: string; tone: 'left' | 'right'; stretches: readonly Stretch[] }) {
  const { most, more } = useCut(stretches.reduce((length, { text }) => length + text.length, 0))
  return (
    <div>
      <pre class="long-text compared" data-tone="prose" data-side={tone} tabIndex={0} role="region" aria-label={name}>
        {stretches.length === 0 && <span class="soft">No answer</span>}
        {cutStretches(stretches, most).map(({ text, isChanged }, index) =>
          isChanged ? <mark key={index}>{text}</mark> : text,
        )}
      </pre>
      {more}
    </div>
  )
}

/** The answer as text; of a run that only analyzed or planned, what it found. */
function answerOf({ result }: Run): string {
  if (result === undefined || result === null) return ''
  const { summary } = result as { summary?: unknown }
  return typeof summary === 'string' ? summary : JSON.stringify(result, null, 2)
}
