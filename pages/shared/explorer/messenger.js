// Holds what was last said of the point and the marks, on every page. The part `channel` comes before this file.

export default function messenger({ data, setStateValue }) {
  const channel = openChannel(data.channel);
  // Numbered, for the server hears what differs from what was said last: a point that began anew, or groups that are
  // marked anew, may be set to what they were before.
  const own = {
    setStateValue: (name, value) => setStateValue(name, { ...value, nth: (channel.n_said += 1) }),
  };
  channel.messenger = own;
  return () => {
    if (channel.messenger === own) channel.messenger = null;
  };
}
