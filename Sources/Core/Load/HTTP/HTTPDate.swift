/// A date as HTTP writes it (RFC 9110, 5.6.7): the fixed form, and the two that old servers still send.
enum HTTPDate {
    /// The moment that a text names; `nil` for anything that is no date.
    static func parse(_ text: String) -> WallTime? {
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        switch words.count {
        // Sun, 06 Nov 1994 08:49:37 GMT, and Sunday, 06-Nov-94 08:49:37 GMT
        case 6 where words[5] == "GMT": return time(day: words[1], month: words[2], year: words[3], clock: words[4])
        // Sun Nov  6 08:49:37 1994
        case 5: return time(day: words[2], month: words[1], year: words[4], clock: words[3])
        default: return nil
        }
    }

    private static func time(day: String, month: String, year: String, clock: String) -> WallTime? {
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false).map { number(String($0)) }
        guard let day = number(day), (1...31).contains(day), let month = months.firstIndex(of: month),
            let year = fullYear(year), parts.count == 3, let hour = parts[0], let minute = parts[1],
            let second = parts[2], hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = Self.days(year: year, month: month + 1, day: day)
        return WallTime(seconds: Int64(((days * 24 + hour) * 60 + minute) * 60 + second))
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// One to four decimal digits and nothing else.
    private static func number(_ text: String) -> Int? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    /// Two digits are the year of the century that is less than fifty years ahead; that is so until 2050 with 1970.
    private static func fullYear(_ text: String) -> Int? {
        guard let year = number(text) else { return nil }
        switch text.utf8.count {
        case 2: return year < 70 ? 2000 + year : 1900 + year
        case 4: return year
        default: return nil
        }
    }

    /// Days from 1970-01-01 in the Gregorian calendar, years counted from March so that the leap day comes last.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
