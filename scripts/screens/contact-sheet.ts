export interface Picture {
  amount: string;
  where: string;
  /** Language, scheme and width. */
  look: string;
  /** Relative to the sheet. */
  file: string;
}

const escaped = (text: string): string => text.replace(/[&<>"]/gu, (sign) => `&#${sign.charCodeAt(0)};`);

/** A page that shows each screen in all its looks side by side. */
export function contactSheet(pictures: readonly Picture[]): string {
  const rows = Map.groupBy(pictures, ({ amount, where }) => `${where} (${amount})`);
  const body = [...rows].map(
    ([name, looks]) =>
      `<h2>${escaped(name)}</h2><div>${looks
        .map(
          ({ file, look }) =>
            `<figure><a href="${escaped(file)}"><img loading="lazy" src="${escaped(file)}" alt=""></a><figcaption>${escaped(look)}</figcaption></figure>`,
        )
        .join('')}</div>`,
  );
  return `<!doctype html><meta charset="utf-8"><title>Screens</title>
<style>body{font:14px sans-serif}div{display:flex;flex-wrap:wrap;gap:12px}figure{margin:0}img{height:320px;border:1px solid #888}</style>
${body.join('\n')}
`;
}
