/** Loaded before a server, this shifts its clock by CLOCK_OFFSET_MS, like a machine with a wrong clock. Its steady clock stays right. */
const offsetMs = Number(process.env.CLOCK_OFFSET_MS ?? 0);
const realNow = Date.now;
const RealDate = Date;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [realNow() + offsetMs] : args, newTarget),
  apply: () => new RealDate(realNow() + offsetMs).toString(),
  get: (target, name, receiver) => (name === 'now' ? () => realNow() + offsetMs : Reflect.get(target, name, receiver)),
});
