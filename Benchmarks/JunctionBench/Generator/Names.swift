/// Words that people and courses of a synthetic school are named with.
enum Names {
  static let first = [
    "Ada", "Amir", "Ana", "Aoife", "Arjun", "Astrid", "Bao", "Bella", "Ben", "Carla", "Chidi",
    "Chloe", "Daniel", "Dana", "Diego", "Dmitri", "Elena", "Eli", "Emily", "Emre", "Eva", "Farah",
    "Felix", "Fatima", "Finn", "Freya", "Gabriel", "Grace", "Hana", "Hugo", "Ida", "Imani", "Ines",
    "Isaac", "Ivan", "Jack", "Jane", "Jonas", "John", "Julia", "Kai", "Kofi", "Lara", "Leila",
    "Leo", "Liam", "Lina", "Lucas", "Maja", "Malik", "Maria", "Mateo", "Mei", "Mina", "Musa",
    "Nadia", "Nina", "Noah", "Nora", "Olga", "Omar", "Oscar", "Priya", "Quinn", "Rosa", "Ravi",
    "Ruth", "Sam", "Sara", "Sofia", "Tara", "Theo", "Tomas", "Uma", "Vera", "Wei", "Yara", "Yusuf",
    "Zoe", "Zahra",
  ]
  static let last = [
    "Abe", "Adeyemi", "Ali", "Andersson", "Bauer", "Becker", "Berg", "Bianchi", "Brown", "Castro",
    "Chen", "Cohen", "Costa", "Cruz", "Diaz", "Doe", "Dubois", "Evans", "Fischer", "Garcia",
    "Gupta", "Haddad", "Hansen", "Hoffman", "Ibrahim", "Ivanov", "Jansen", "Jones", "Kaya", "Khan",
    "Kim", "Kowalski", "Kumar", "Lopez", "Larsen", "Lee", "Lindqvist", "Martin", "Mbeki", "Mendes",
    "Meyer", "Moreau", "Murphy", "Nakamura", "Nguyen", "Novak", "Nunez", "Okafor", "Olsen",
    "Osei", "Park", "Patel", "Petrov", "Popescu", "Quispe", "Rahman", "Reyes", "Rossi", "Roy",
    "Santos", "Sato", "Schmidt", "Silva", "Singh", "Smith", "Sokolov", "Suzuki", "Tanaka",
    "Thomas", "Toure", "Tran", "Umar", "Vargas", "Virtanen", "Wang", "Weber", "Wilson", "Wong",
    "Yilmaz", "Zhang",
  ]
  static let subjects = [
    "Algebra", "Anatomy", "Astronomy", "Biology", "Botany", "Calculus", "Chemistry", "Civics",
    "Computing", "Dance", "Drama", "Drawing", "Ecology", "Economics", "English", "Ethics",
    "Film", "French", "Genetics", "Geography", "Geology", "Geometry", "German", "History", "Latin",
    "Law", "Logic", "Mechanics", "Music", "Optics", "Painting", "Philosophy", "Physics",
    "Poetry", "Politics", "Psychology", "Robotics", "Sculpture", "Sociology", "Spanish",
    "Statistics", "Zoology",
  ]
  static let themes = [
    "Art", "Cities", "Climate", "Data", "Design", "Energy", "Film", "Food", "Games", "Health",
    "Industry", "Language", "Machines", "Markets", "Media", "Memory", "Migration", "Money",
    "Myth", "Nature", "Networks", "Numbers", "Oceans", "Peace", "Power", "Religion", "Science",
    "Society", "Sound", "Space", "Sport", "Trade", "Travel", "War", "Water", "Work",
  ]
  /// The larger ones first.
  static let cities = [
    "Lisbon", "Lagos", "Lima", "Oslo", "Accra", "Austin", "Bergen", "Bogota", "Bremen", "Cairo",
    "Cork", "Dakar", "Delhi", "Ghent", "Graz", "Hanoi", "Izmir", "Kyoto", "Leeds", "Malmo",
    "Nairobi", "Osaka", "Porto", "Pune", "Quito", "Riga", "Salvador", "Seoul", "Split", "Tampere",
    "Tartu", "Tunis", "Turin", "Ulm", "Vilnius", "Warsaw", "Xalapa", "Yerevan", "Zagreb", "Zurich",
  ]
}
