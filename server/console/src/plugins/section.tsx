import type { ComponentChildren } from 'preact'

export interface SectionProps {
  id: string
  name: string
  note?: string
  children: ComponentChildren
}

/** A part of the page that can be linked to. */
export function Section({ id, name, note, children }: SectionProps) {
  return (
    <section class="card anchor" id={id} aria-labelledby={`${id}-title`}>
      <header>
        <h2 id={`${id}-title`}>{name}</h2>
        {note !== undefined && <span class="soft small">{note}</span>}
      </header>
      {children}
    </section>
  )
}

/** Heads of columns that hold numbers. */
const NUMBERS: ReadonlySet<string> = new Set(['No.', 'Order', 'Calls', 'Mean', 'In all'])

/** A table that scrolls inside its own box. */
export function Table({
  label,
  heads,
  children,
}: {
  label: string
  heads: readonly string[]
  children: ComponentChildren
}) {
  return (
    <div class="scroll table-box" tabIndex={0} role="region" aria-label={`Table: ${label}`}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col" class={NUMBERS.has(head) ? 'number' : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
