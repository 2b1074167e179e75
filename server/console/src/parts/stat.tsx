import type { ComponentChildren } from 'preact'

interface StatProps {
  name: string
  title?: string | undefined
  children: ComponentChildren
}

/** A figure and its name, in a list of such. */
export function Stat({ name, title, children }: StatProps) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
