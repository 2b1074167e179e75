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
    <div class="scroll table-box" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
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
